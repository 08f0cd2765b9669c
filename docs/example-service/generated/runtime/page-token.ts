// Copied by ninefold. Do not edit: generate writes it again.

import type { SortKey } from './filter/types.ts'
import { refusal } from './refusal.ts'

/**
 * Returns the HMAC-SHA256 of a text under the installation's key, or the result of an equally strong function, of at
 * least 16 bytes. Each character of the result is one byte, as in the encoding `binary` of Node.js.
 */
export type Mac = (text: string) => string

/**
 * Signs and opens page tokens (conventions §8): base64url without padding of a MAC, a version and sort keys. The MAC
 * also covers the scope of the call, so a token is valid for that scope only. A token marks a position in a list and
 * grants no rights.
 */
export interface PageTokens {
  /**
   * Returns the token of the rows after the row with these sort keys. `scope` identifies the list: its path and
   * parameters.
   */
  sign(scope: string, keys: readonly SortKey[]): string
  /** Returns the sort keys of a token that `sign` made for the same scope. Throws `ApiError` PAGE_TOKEN_INVALID. */
  open(scope: string, token: string): readonly SortKey[]
}

const version = 1
const tagLength = 16

/**
 * Returns the functions that sign and open page tokens with a MAC. Tokens of another key are refused like any other
 * fault.
 */
export function pageTokens(mac: Mac): PageTokens {
  // The length of the scope precedes the scope, so that no two pairs of scope and text have the same MAC input.
  const tag = (scope: string, text: string): string =>
    mac(`page token ${scope.length} ${scope}${text}`).slice(0, tagLength)
  return {
    sign(scope, keys) {
      const text = ascii(JSON.stringify([version, keys]))
      return encode(tag(scope, text) + text)
    },
    open(scope, token) {
      const bytes = decode(token)
      const text = bytes?.slice(tagLength)
      if (!bytes || !text || !isSame(bytes, tag(scope, text)))
        return invalid('is no token of a call with these parameters')
      // The tag proves that `sign` wrote this text.
      const [made, keys] = JSON.parse(text) as readonly [number, readonly SortKey[]]
      return made === version ? keys : invalid('is of another version')
    },
  }
}

/** Returns JSON in ASCII, in which each character is one byte. */
function ascii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, unit => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a token begins with a tag. The comparison takes constant time. */
function isSame(bytes: string, tag: string): boolean {
  let difference = 0
  for (let i = 0; i < tagLength; i += 1) difference |= bytes.charCodeAt(i) ^ tag.charCodeAt(i)
  return difference === 0
}

function encode(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes a token; returns undefined unless it is the canonical form of more bytes than a tag. */
function decode(token: string): string | undefined {
  if (!/^[\w-]*$/.test(token) || token.length % 4 === 1) return undefined
  const bytes = atob(token.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes.length > tagLength && encode(bytes) === token ? bytes : undefined
}

function invalid(fault: string): never {
  throw refusal('PAGE_TOKEN_INVALID', 'page_token', `${fault}; ask for the first page again, without page_token`)
}
