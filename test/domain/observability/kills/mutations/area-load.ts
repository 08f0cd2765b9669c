import { ObservabilityClient } from '../../../../../output/observability/client.ts'
import { runLoad, type Load } from '../../../../areas/kill/run-load.ts'
import { AreaActor } from './area-actor.ts'

/** The JSON argument of the program. */
export interface AreaLoad extends Load {
  readonly workspace: string
}

/** This program runs clients that change resources of observability in one workspace, until its standard input ends. */

const [text = ''] = process.argv.slice(2)
const load: AreaLoad = JSON.parse(text)
const { workspace } = load

await runLoad(
  load,
  ({ make, name, transport }) => new AreaActor({ client: new ObservabilityClient(transport), make, name, workspace }),
)
