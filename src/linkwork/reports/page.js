"use strict";
(function () {
  const root = document.documentElement, button = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  button.hidden = false;
  button.addEventListener("click", function () {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  });
})();
