import { beforeAll, describe } from 'vitest'
import { afterTests } from '../../../../undo.ts'
import { declareClientTests } from '../client-contract.ts'
import { hasGateway, keys, startGateway } from '../gateway.ts'
import { remoteStorage, type RemoteStorage } from '../remote-storage.ts'

let remote: RemoteStorage
let url = ''

beforeAll(async () => {
  if (!hasGateway) return
  ;({ url } = await startGateway(afterTests))
  remote = await remoteStorage(url, { later: afterTests })
}, 120_000)

describe.skipIf(!hasGateway)('a bucket in an S3 store', () => {
  declareClientTests(() => ({ remote, account: { url, ...keys } }))
})
