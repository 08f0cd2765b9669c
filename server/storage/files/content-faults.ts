import { ContentFault, type ContentFaultKind } from '../../../domain/storage/contents/content-files.ts'
import { systemCode } from '../../store/sqlite/store-file.ts'

/** The code of a file that is not as its row says: shorter or longer, or no regular file. */
export const alteredCode = 'ALTERED'

/** Returns the error of a file that is not as its row says. */
export const altered = (message: string): Error => Object.assign(new Error(message), { code: alteredCode })

/**
 * The kinds of the errors of a host: a lack of space is a full disk, a used-up quota of the host, or its limit of file
 * sizes; a busy host has no descriptor or no memory left. All other errors are failures of the disk.
 */
const kinds: Readonly<Record<string, ContentFaultKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EMFILE: 'busy',
  ENFILE: 'busy',
  ENOMEM: 'busy',
}

/** The codes of content that is lost, such as a link in place of a file. */
const lostCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO', alteredCode])

/** Returns the fault of a failed call; a file that cannot be found is lost only if it was to be read. */
export function faultOf(instance: string, error: unknown, work: 'read' | 'write'): ContentFault {
  if (error instanceof ContentFault) return error
  const code = systemCode(error)
  const kind = kinds[code] ?? (work === 'read' && lostCodes.has(code) ? 'lost' : 'failed')
  return new ContentFault(kind, instance, error)
}
