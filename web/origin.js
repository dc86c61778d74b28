// The page shows commands to copy: with the address it was opened at, whatever port or proxy that is.
for (const element of document.querySelectorAll('[data-origin]')) {
  element.textContent = location.origin;
}
