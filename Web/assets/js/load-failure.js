// Says that a script of the page did not load. A module that is missing ends the page, which stays as it is without a
// word: browsers give up what they load while the addresses of their machine change.
(function () {
  var said = false;

  function say() {
    if (said || !document.body) { return; }
    said = true;
    var notice = document.createElement("div");
    notice.className = "load-failure";
    notice.setAttribute("role", "alert");
    var text = document.createElement("p");
    text.textContent = "A part of this page did not load, so the page does not work.";
    var button = document.createElement("button");
    button.className = "button primary";
    button.type = "button";
    button.textContent = "Load it again";
    button.addEventListener("click", function () { location.reload(); });
    notice.append(text, button);
    var loading = document.getElementById("loading");
    var content = document.getElementById("content");
    if (loading) { loading.replaceWith(notice); } else { (content || document.body).prepend(notice); }
  }

  addEventListener("error", function (event) {
    if (!(event.target instanceof HTMLScriptElement)) { return; }
    if (document.readyState === "loading") { document.addEventListener("DOMContentLoaded", say); } else { say(); }
  }, true);
})();
