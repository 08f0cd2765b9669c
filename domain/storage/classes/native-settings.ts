import type { ParsedNativeClassSettings } from '../../../output/storage/types.ts'

/** The largest object of the native engine, in bytes. */
export const maxObjectBytes = 5 * 2 ** 40

/** The settings of a class of the native engine that gives none. */
export const nativeDefaults: ParsedNativeClassSettings = {
  sync_mode: 'STORAGE_SYNC_MODE_FULL',
  min_free_bytes: 2 ** 30,
}
