/**
 * Returns the reason and the place at which a text stops being JSON, or undefined if the text is JSON. The result never
 * quotes the text, which may hold secrets: the messages of V8 quote a part of the text at an unexpected character.
 */
export function jsonFault(text: string): string | undefined {
  const message = messageOf(text)
  if (message === undefined) return undefined
  const [, reason, position] = /^(.*?)(?: in JSON)? at position (\d+)/.exec(message) ?? []
  if (reason !== undefined) return `${lower(reason)} ${placeOf(text, Number(position))}`
  if (!isUnexpected(message)) return `it ends too early ${placeOf(text, text.length)}`
  return `unexpected character ${placeOf(text, firstUnexpected(text))}`
}

function messageOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

const isUnexpected = (message: string | undefined): boolean => message?.startsWith('Unexpected token') ?? false

/**
 * Returns the offset of the first unexpected character by binary search. A prefix that contains the character fails
 * with "Unexpected token"; a shorter prefix fails with an early end.
 */
function firstUnexpected(text: string): number {
  let [least, most] = [0, text.length - 1]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (isUnexpected(messageOf(text.slice(0, middle + 1)))) most = middle
    else least = middle + 1
  }
  return least
}

function placeOf(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

const lower = (reason: string): string => reason.charAt(0).toLowerCase() + reason.slice(1)
