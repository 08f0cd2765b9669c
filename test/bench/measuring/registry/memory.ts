import { printGrowth } from '../storage/growth.ts'
import { pooled } from '../storage/small.ts'
import { download, taken, upload } from '../storage/transfers.ts'
import { withLayers } from './served-layers.ts'

const streams = 50

/**
 * Prints by how much the resident memory of the server's processes grows during 50 pushes of different layers at a time,
 * and then during 50 pulls; returns whether the growth and the event loop kept their limits. A first push and pull warm
 * the server up.
 */
export const printMemory = (): Promise<boolean> =>
  withLayers(async ({ pull, push, server }) => {
    const size = 20e6
    const sizes = Array.from({ length: streams }, (_, i) => size - i)
    for (let i = 0; i < 3; i += 1) {
      await upload(await push(size + 1), size + 1)
      await download(await pull(size + 1))
    }
    const pushes = await pooled(sizes, async each => ({ asked: await push(each), each }))
    const pulls = await pooled(sizes, pull)
    const put = () => Promise.all(pushes.map(({ asked, each }) => taken(() => upload(asked, each))))
    const get = () => Promise.all(pulls.map(asked => taken(() => download(asked))))
    const isPushed = await printGrowth(server, { method: 'PUT', streams, size, run: put })
    return (await printGrowth(server, { method: 'GET', streams, size, run: get })) && isPushed
  })
