/** The largest PEM text that is read, in characters. */
const maxText = 65_536

/** Returns a PEM text of RFC 7468 with lines of 64 characters and a newline at its end. */
export function pemOf(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/**
 * Returns the bytes of a text that holds exactly one PEM block with one of the labels, and white space around it;
 * undefined for another text.
 */
export function derOfPem(text: string, ...labels: readonly string[]): Buffer | undefined {
  if (text.length > maxText) return undefined
  const trimmed = text.trim()
  for (const label of labels) {
    const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
    if (!trimmed.startsWith(begin) || !trimmed.endsWith(end)) continue
    const body = trimmed.slice(begin.length, -end.length).replaceAll(/\s+/g, '')
    return isBase64(body) ? Buffer.from(body, 'base64') : undefined
  }
  return undefined
}

const isBase64 = (text: string): boolean =>
  text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
