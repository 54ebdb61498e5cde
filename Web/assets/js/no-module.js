// Read only by browsers that do not know modules.
(function () {
  var element = document.getElementById("unsupported");
  if (element) { element.hidden = false; }
  var loading = document.getElementById("loading");
  if (loading) { loading.hidden = true; }
})();
