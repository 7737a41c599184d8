// A button that copies what stands beside it; where the browser does not let it, the text is marked to be copied by hand.

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const text = document.getElementById(button.dataset.copies);
  getSelection().selectAllChildren(text);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Marked";
  }
});
