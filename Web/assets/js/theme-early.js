// Runs before the first paint, so that a chosen theme does not flash in the other one.
(function () {
  try {
    var value = JSON.parse(localStorage.getItem("parley.theme"));
    if (value === "light" || value === "dark") { document.documentElement.setAttribute("data-theme", value); }
  } catch (error) { /* the system's theme */ }
})();
