(function () {
  const field = document.querySelector(".search input"), told = document.querySelector(".search output");
  const rows = Array.from(document.querySelectorAll("figure.table tbody tr[id]"));
  const own = rows.map(row => row.cells[0].textContent.toLowerCase());
  const all = rows.map(row => {
    const caption = row.closest("figure").querySelector("figcaption").textContent;
    return (caption + " " + row.textContent).toLowerCase();
  });
  const plain = word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // A number is that of a place, whole or the start of it (3. is all of section 3). A word with which
  // addresses begin, such as a first author, means those rows; other words stand anywhere.
  function finds(word) {
    const number = /^\(?([0-9][0-9.]*[a-z]?)\)?,?$/.exec(word);
    if (!number) {
      return rows.some(row => row.id.startsWith(word)) ? k => rows[k].id.startsWith(word) : k => all[k].includes(word);
    }
    const place = new RegExp("(^|[^0-9.])" + plain(number[1]) + (number[1].endsWith(".") ? "" : "(?![0-9])"));
    return k => place.test(own[k]);
  }
  function find() {
    const tests = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(finds);
    let count = 0;
    rows.forEach((row, k) => {
      row.hidden = !tests.every(test => test(k));
      count += !row.hidden;
    });
    told.textContent = tests.length ? (count === 1 ? "1 place" : count + " places") : "";
  }
  document.querySelector(".search").hidden = false;
  field.addEventListener("input", find);
  // A link to a row shows it even while others are searched for.
  window.addEventListener("hashchange", () => { field.value = ""; find(); });
})();
