import { accessToken, openPages, signIn } from './session.ts'

/** The page of users without a page of their own. */
const home = '/'

const form = document.querySelector('form')
const message = document.querySelector('#message')

form?.addEventListener('submit', event => {
  event.preventDefault()
  void attempt(() => signIn(valueOf('#email'), valueOf('#password')))
})

// A session whose cookie has ended goes on without a password.
if ((await accessToken().catch(() => undefined)) !== undefined) await attempt(async () => {})
enable(true)

/** Begins a session and opens the first page of the user; shows an error in the form. */
async function attempt(begin: () => Promise<void>): Promise<void> {
  enable(false)
  say('')
  try {
    await begin()
    await enter()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  } finally {
    enable(true)
  }
}

async function enter(): Promise<void> {
  const [page] = await openPages()
  if (page === undefined) return location.replace(home)
  // A browser that keeps no cookies would be led back here for ever.
  const { type } = await fetch(page, { method: 'HEAD', redirect: 'manual' })
  if (type === 'opaqueredirect') return say('Allow cookies of this site, and sign in again.')
  location.replace(page)
}

function say(text: string): void {
  if (message) message.textContent = text
}

function enable(isEnabled: boolean): void {
  const button = form?.querySelector('button')
  if (button) button.disabled = !isEnabled
}

function valueOf(selector: string): string {
  const input = document.querySelector(selector)
  return input instanceof HTMLInputElement ? input.value : ''
}
