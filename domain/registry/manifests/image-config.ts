import { parseJson } from '../../../runtime/json.ts'
import { isRecord } from '../../../runtime/validation.ts'
import type { Platform } from './manifest.ts'
import { platformOf } from './parse-manifest.ts'

/** The largest config of an image in bytes that is read: 4 MiB. */
export const maxConfigBytes = 4 * 2 ** 20

/** What the config of an image says. */
export interface ImageFacts {
  readonly platform?: Platform
  /** When the image was built, with milliseconds. */
  readonly image_created_time?: string
}

/** Returns the facts of an image from the bytes of its config. Unreadable facts are absent: no push fails for them. */
export function imageFacts(bytes: Uint8Array): ImageFacts {
  const config = configOf(bytes)
  if (config === undefined) return {}
  const platform = platformOf(config)
  const created = typeof config.created === 'string' ? Date.parse(config.created) : NaN
  return {
    ...(platform.os !== '' && platform.architecture !== '' && { platform }),
    ...(isDate(created) && { image_created_time: new Date(created).toISOString() }),
  }
}

/** Whether RFC 3339 can say a time: its years have four digits. */
const isDate = (time: number): boolean => time >= Date.UTC(1, 0, 1) && time < Date.UTC(10_000, 0, 1)

function configOf(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes), 100)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
