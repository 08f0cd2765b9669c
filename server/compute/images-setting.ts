import { readSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Image } from '../../domain/compute/images/image.ts'
import { jsonFault } from '../../text/json-fault.ts'
import type { SettingFaults } from '../settings/faults.ts'
import { listOf } from '../settings/lists.ts'
import { object } from '../settings/objects.ts'
import { integer, plainText, text } from '../settings/scalars.ts'
import { inCode, Setting } from '../settings/setting.ts'
import { systemCode } from '../store/sqlite/store-file.ts'
import { readRegularFile } from './regular-file.ts'

/** The maximal length of the file of images in bytes. */
const mostBytes = 2 ** 20

const nameRule = 'must be 1 to 128 of a-z, 0-9, ".", "_" and "-", the first a letter or digit'

const isPath = (text: string): boolean => isAbsolute(text) && !text.includes('\0')

const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)

const images = listOf(
  object({
    name: text({ fault: value => (/^[a-z0-9][a-z0-9._-]{0,127}$/.test(value) ? undefined : nameRule) }),
    os: text(),
    min_disk_gib: integer({ min: 1, max: 65_536 }),
    min_memory_mib: integer({ min: 128, max: 16_777_216 }),
    boot_ms: integer({ min: 0, max: 600_000 }),
    file: text({ fault: value => (isPath(value) ? undefined : 'must be an absolute path') }).optional,
    url: text({ fault: value => (isWebAddress(value) ? undefined : 'must be an address of http or https') }).optional,
    sha256: text({ fault: value => (/^[\da-f]{64}$/.test(value) ? undefined : 'must be 64 hex digits') }).optional,
  }),
  { uniqueBy: 'name', fault: sourceFault },
)

/** Returns the fault of the first image with two sources, or with a URL or a digest but not both. */
function sourceFault(values: readonly Image[]): string | undefined {
  const wrong = values.find(({ file, sha256, url }) => (url !== undefined) !== (sha256 !== undefined) || (file && url))
  return wrong && `must give image ${wrong.name} a "file", or a "url" with its "sha256"`
}

/** Returns the setting of the path of a JSON file with a list of images. The value of the setting is the list. */
export const imagesFile = (): Setting<readonly Image[], 'required'> =>
  new Setting<readonly Image[], 'required'>(
    {
      notation: 'text',
      read(given, place, faults) {
        const path = plainText(given)
        if (path === undefined || path === '') return faults.add(place, 'must be the path of a file')
        const written = fileText(path, place, faults)
        const fault = written === undefined ? undefined : jsonFault(written)
        if (fault !== undefined) return faults.add(place, `names a file that is no JSON: ${fault}`)
        return written === undefined ? undefined : images.form.read(JSON.parse(written), path, faults)
      },
      show: value => inCode(JSON.stringify(value)),
    },
    'required',
  )

function fileText(path: string, place: string, faults: SettingFaults): string | undefined {
  try {
    const content = readRegularFile(path, descriptor => {
      const buffer = Buffer.alloc(mostBytes + 1)
      return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, 0))
    })
    if (content.length > mostBytes) return faults.add(place, 'names a file of more than 1 MiB')
    return content.toString('utf8')
  } catch (error) {
    const code = systemCode(error) || 'no regular file'
    return faults.add(place, `names a file that cannot be read (${code})`)
  }
}
