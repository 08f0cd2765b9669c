import type { StorageClassUpdate } from '../../../output/storage/types.ts'
import type { FieldViolation } from '../../../runtime/errors.ts'
import { rulesOf, type FormRule } from '../../../runtime/form-rules.ts'

const rule = rulesOf<StorageClassUpdate>()

const onlyS3 = 'belongs to S3 stores alone; leave it out in the engine native'

/** The rules for the bodies of storage classes beyond their schemas (step 5). */
export const classForm: readonly FormRule[] = [
  rule(['s3'], ({ s3 }): readonly FieldViolation[] => (s3 === undefined ? [] : [{ field: 's3', description: onlyS3 }])),
  rule(['multi_region'], ({ multi_region = '' }) =>
    multi_region === '' ? [] : [{ field: 'multi_region', description: onlyS3 }],
  ),
]
