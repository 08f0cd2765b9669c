import { onTestFinished } from 'vitest'
import { Labelling } from '../../../../server/observability/stack/forwarding/labelling.ts'

/** Returns a labelling whose thread ends with the running test. */
export function testLabelling(): Labelling {
  const ignored = (): void => {}
  const labelling = new Labelling({ error: ignored, warn: ignored })
  onTestFinished(() => labelling.end())
  return labelling
}
