// The link of `mitschrift setup-link` carries the setup code in its fragment, which no server sees.
const code = new URLSearchParams(location.hash.slice(1)).get('code');
history.replaceState(null, '', location.pathname);

const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { username, password } = form.elements;
  void setUp(username.value, password.value);
});

async function setUp(username, password) {
  const setup = { username, password, ...(code === null ? {} : { setup_code: code }) };
  try {
    const response = await fetch('/setup', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(setup),
    });
    if (response.ok) form.hidden = true;
    status.textContent = response.ok
      ? `${username} is the administrator now, and can log in.`
      : (await response.json()).detail;
  } catch {
    status.textContent = 'The service does not answer. Try again.';
  }
}
