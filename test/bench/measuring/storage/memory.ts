import { printGrowth } from './growth.ts'
import { besideBare } from './served-bucket.ts'
import { pooled } from './small.ts'
import { download, taken, upload } from './transfers.ts'

const streams = 100

/**
 * Prints by how much the resident memory of the server's processes grows during 100 uploads at a time, and then during
 * 100 downloads; returns whether the growth and the event loop kept their limits. A first upload and download warm the
 * server up.
 */
export const printMemory = (isFull: boolean): Promise<boolean> =>
  besideBare(async ({ down, server, up }) => {
    const size = isFull ? 100e6 : 20e6
    const names = Array.from({ length: streams }, (_, i) => `stream-${i}`)
    for (let i = 0; i < 3; i += 1) {
      await upload(await up('warm'), size)
      await download(await down('warm'))
    }
    const uploads = await pooled(names, up)
    const downloads = await pooled(names, down)
    const put = () => Promise.all(uploads.map(asked => taken(() => upload(asked, size))))
    const get = () => Promise.all(downloads.map(asked => taken(() => download(asked))))
    const isUp = await printGrowth(server, { method: 'PUT', streams, size, run: put })
    return (await printGrowth(server, { method: 'GET', streams, size, run: get })) && isUp
  })
