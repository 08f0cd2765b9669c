import { createHmac, timingSafeEqual } from 'node:crypto'
import type { MacScheme } from './schemes.ts'

/** Returns the message authentication code of the data. */
export function macOf({ hash }: MacScheme, key: Buffer, data: Uint8Array): Buffer {
  return createHmac(hash, key).update(data).digest()
}

/** True if the code is the code of the data. The time of the comparison does not depend on the code. */
export function fitsMac(scheme: MacScheme, key: Buffer, data: Uint8Array, mac: Uint8Array): boolean {
  const expected = macOf(scheme, key, data)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
