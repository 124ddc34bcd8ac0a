// Runs before anything is painted, so that a dark page is never white first. The key is mode-watcher's.
try {
  var mode = localStorage.getItem('mode-watcher-mode') || 'system';
  var dark = mode === 'dark' || (mode === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
  document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
  var locale = localStorage.getItem('PARAGLIDE_LOCALE');
  if (locale) document.documentElement.lang = locale;
} catch {
  // Without storage the page is light, which is what it says by itself.
}
