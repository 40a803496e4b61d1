"use strict";
(function () {
  const root = document.documentElement, button = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  button.hidden = false;
  button.addEventListener("click", function () {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
  // What is wider than the screen says that it scrolls, also to the keyboard.
  new ResizeObserver(function () {
    for (const box of document.querySelectorAll(".wide")) {
      const wider = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle("scrolls", wider);
      if (wider) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }).observe(document.body);
  // Figures shrink to a narrow screen; a button shows them large.
  for (const caption of document.querySelectorAll("figure:has(> .wide svg) > figcaption")) {
    const large = caption.parentElement.insertBefore(document.createElement("button"), caption);
    large.type = "button";
    large.className = "enlarge";
    large.textContent = "enlarge figure";
    large.addEventListener("click", function () {
      const now = large.parentElement.classList.toggle("large");
      large.textContent = now ? "fit to the screen" : "enlarge figure";
      window.dispatchEvent(new Event("resize"));
    });
  }
})();
