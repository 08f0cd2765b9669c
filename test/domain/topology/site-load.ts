import { TopologyClient } from '../../../output/topology/client.ts'
import { runLoad, type Load } from '../../areas/kill/run-load.ts'
import { PoolActor } from './pools/pool-actor.ts'
import { SiteActor } from './site-actor.ts'

/**
 * This program runs clients that change targets, locations, zones and resource pools, until its standard input ends.
 */

const [text = ''] = process.argv.slice(2)
const load: Load = JSON.parse(text)

await runLoad(load, ({ make, name, transport }) => {
  const parts = { client: new TopologyClient(transport), make, name }
  const [sites, pools] = [new SiteActor(parts), new PoolActor(parts)]
  return {
    async step() {
      await sites.step()
      await pools.step()
    },
  }
})
