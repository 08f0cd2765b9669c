import { TopologyClient } from '../../../output/topology/client.ts'
import { runLoad, type Load } from '../../areas/kill/run-load.ts'
import { SiteActor } from './site-actor.ts'

/** A process of clients that change targets, locations and zones until its input ends. */
const [text = ''] = process.argv.slice(2)
const load: Load = JSON.parse(text)

await runLoad(load, ({ make, name, transport }) => new SiteActor({ client: new TopologyClient(transport), make, name }))
