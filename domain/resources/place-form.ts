import type { FieldViolation } from '../../runtime/errors.ts'

/** The members that place a resource in a region or a multi-region. */
export interface PlaceForm {
  readonly region?: string
  readonly multi_region?: string
}

/** Yields the fault of a body that names both a region and a multi-region. */
export function* placeFaults({ multi_region = '', region = '' }: PlaceForm): Generator<FieldViolation> {
  if (region !== '' && multi_region !== '')
    yield { field: 'multi_region', description: 'cannot be given together with region; leave one of them out' }
}
