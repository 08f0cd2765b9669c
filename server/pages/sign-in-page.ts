import { htmlPage } from './html-page.ts'

/** The folder of the files of the page. */
export const signInFolder = '/sign-in'

/**
 * Returns the page at which users sign in. Its script sends the password to the API alone, and enables the button once
 * the script is ready.
 */
export const signInPage = (): string =>
  htmlPage({
    title: 'Sign in',
    styles: [`${signInFolder}/pages.css`],
    script: `${signInFolder}/sign-in.js`,
    body: `<main class="sign-in">
<h1><span class="brand">Ninefold</span> Sign in</h1>
<form id="sign-in" method="post">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit" disabled>Sign in</button>
<p id="message" role="alert"></p>
</form>
<p><a href="/">API reference</a></p>
<noscript><p>This page needs JavaScript.</p></noscript>
</main>`,
  })
