import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import { runLoad, type Load as AnyLoad } from '../../areas/kill/run-load.ts'
import { Actor } from './actor.ts'

/** The JSON argument of a client. */
export interface Load extends Omit<AnyLoad, 'actors'> {
  readonly organisation: string
  readonly sharedGroup: string
}

const actors = 6

/**
 * This program runs actors that change one organisation, and prints a report of each call, until its standard input
 * ends.
 */

const [text = ''] = process.argv.slice(2)
const load: Load = JSON.parse(text)

const { organisation, sharedGroup } = load
await runLoad(
  { ...load, actors },
  ({ make, name, transport }) =>
    new Actor({ client: new TaxonomyClient(transport), make, name, organisation, sharedGroup }),
)
