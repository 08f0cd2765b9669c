import type { CopyObjectBodyInput } from '../../../output/storage/types.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'

const members = [
  'content_type',
  'content_encoding',
  'content_disposition',
  'content_language',
  'cache_control',
  'custom_metadata',
] as const

/** The rule that metadata can be given only if they replace those of the source. */
export const copyForm: readonly FormRule[] = [
  rulesOf<CopyObjectBodyInput>()(['metadata_directive', ...members], function* (body) {
    if (body.metadata_directive === 'STORAGE_METADATA_DIRECTIVE_REPLACE') return
    for (const name of members)
      if (body[name] !== undefined)
        yield {
          field: name,
          description: 'can be given only with metadata_directive STORAGE_METADATA_DIRECTIVE_REPLACE',
        }
  }),
]
