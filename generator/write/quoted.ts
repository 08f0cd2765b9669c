const longest = 80
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/**
 * Makes a text safe for a terminal. Control characters could move the cursor or hide text, so they become escapes such
 * as `\u001b`. Tabs stay unchanged.
 */
export function printable(text: string): string {
  return text.replace(controls, found =>
    found === '\t' ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Quotes a value for a message: in double quotes, safe for a terminal, cut at 80 characters. */
export function quoted(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return `"${printable(cut)}"`
}
