import { admitCall, vault, vaultForms, vaultProcedures, vaultResources, vaultWork } from '../../domain/vault/area.ts'
import { AccessAudit } from '../../domain/vault/audit/access-audit.ts'
import { corruptActivity, type CorruptItem } from '../../domain/vault/audit/corrupt-activity.ts'
import type { VaultEnvironment } from '../../domain/vault/environment.ts'
import { pinnedVersions } from '../../domain/vault/certificates/pinned-versions.ts'
import { vaultFunctions } from '../../domain/vault/functions.ts'
import { vaultHooks } from '../../domain/vault/purge.ts'
import { publicList } from '../../domain/vault/revocation/get-list.ts'
import { listWorker } from '../../domain/vault/revocation/list-worker.ts'
import { RevocationLists } from '../../domain/vault/revocation/revocation-lists.ts'
import { Keyring } from '../../domain/vault/seal/keyring.ts'
import { KnownKeys } from '../../domain/vault/keys/known-keys.ts'
import { Materials } from '../../domain/vault/keys/materials.ts'
import { payloadKeys } from '../../domain/vault/keys/payload-keys.ts'
import { agendaWorker } from '../../domain/vault/work/agenda.ts'
import { Scrubber } from '../../domain/vault/work/scrubber.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import { vaultArea as generated, type VaultArea } from '../../output/vault/area.ts'
import type { VaultHandlers } from '../../output/vault/handlers.ts'
import type { AreaModule } from '../area.ts'
import type { AreaEnvironment } from '../area-parts.ts'
import { areaInProgress, records } from '../area-in-progress.ts'
import { oncePer } from '../once-per.ts'
import { storeFile } from '../platform-store.ts'
import { keyChangesOf } from './key-changes.ts'
import { listPlane } from './list-plane.ts'
import { vaultSettings } from './settings.ts'
import { SnapshotFolder } from './snapshots/snapshot-folder.ts'
import { SnapshotMeter } from './snapshots/snapshot-meter.ts'
import { Snapshotter } from './snapshots/snapshotter.ts'
import { openSnapshots } from './snapshots/open-snapshots.ts'
import { unseal } from './unseal.ts'

type VaultParts = AreaEnvironment<VaultArea, never, 'iam', typeof vaultSettings>

/** The parts of one server, which all members of the declaration share. */
interface MountedVault extends VaultEnvironment {
  readonly lists: RevocationLists
  readonly scrubber: Scrubber
  readonly snapshotFolder: SnapshotFolder
  readonly snapshotMeter: SnapshotMeter
}

/** Returns the area of secrets, keys, capsules, certificates and snapshots. */
export function vaultArea(): AreaModule {
  const environmentOf = oncePer(mountedVault)
  return areaInProgress<VaultArea, VaultHandlers, never, 'iam', typeof vaultSettings>({
    generated,
    ...vault,
    isSecret: true,
    settings: vaultSettings,
    admit: parts => {
      const environment = environmentOf(parts)
      return ({ operationId }, _, given) => admitCall(environment, operationId, given)
    },
    forms: parts => vaultForms(parts.settings['vault.min_destroy_window']),
    provides: parts => ({ vault: vaultFunctions(environmentOf(parts)) }),
    hooks: parts => vaultHooks(environmentOf(parts)),
    procedures: parts => vaultProcedures(environmentOf(parts)),
    workers: parts => [worker(environmentOf(parts), parts), listRenewal(environmentOf(parts), parts)],
    planes: parts => [listPlane(generated.domain, id => publicList(environmentOf(parts), id))],
    async open(parts) {
      const environment = environmentOf(parts)
      const opened = await unseal(environment.keyring, parts)
      await openSnapshots(environment, vaultWork(environment), parts.log)
      return opened
    },
    built: {
      ...records(generated.filters),
      capsules: parts => vaultResources.capsules(environmentOf(parts)),
      certificateAuthorities: parts => vaultResources.certificateAuthorities(environmentOf(parts)),
      certificates: parts => vaultResources.certificates(environmentOf(parts)),
      certificateTemplates: parts => vaultResources.certificateTemplates(environmentOf(parts)),
      cryptoKeys: parts => vaultResources.cryptoKeys(environmentOf(parts)),
      cryptoKeyVersions: parts => vaultResources.cryptoKeyVersions(environmentOf(parts)),
      secrets: parts => vaultResources.secrets(environmentOf(parts)),
      secretVersions: parts => vaultResources.secretVersions(environmentOf(parts)),
      snapshots: parts => vaultResources.snapshots(environmentOf(parts)),
    },
  })
}

function mountedVault(parts: VaultParts): MountedVault {
  const keyring = new Keyring(parts.store)
  keyring.onCorrupt(alarmOf(parts))
  const changes = keyChangesOf(parts.guard?.feed)
  changes.listen({
    changed: key => keyring.forget(key.replace('workspaces/', '')),
    reset: () => keyring.forgetAll(),
  })
  const scrubber = new Scrubber(parts.store)
  const scrub = (): Promise<void> => scrubber.request()
  const accesses = new AccessAudit(parts)
  const materials = new Materials(keyring, changes)
  const minWindowMs = parts.settings['vault.min_destroy_window']
  const snapshotFolder = new SnapshotFolder(parts.settings['vault.snapshots.dir'])
  const snapshotMeter = new SnapshotMeter()
  parts.expose(snapshotMeter.metrics())
  return {
    ...parts,
    snapshotFolder,
    snapshotMeter,
    snapshots: new Snapshotter({
      ...parts,
      folder: snapshotFolder,
      keep: parts.settings['vault.snapshots.keep'],
      place: { file: storeFile(parts.dataDir), storeUrl: parts.storeUrl },
      keyring,
      meter: snapshotMeter,
    }),
    keyring,
    changes,
    knownKeys: new KnownKeys(changes),
    materials,
    pinned: pinnedVersions,
    minWindowMs,
    accesses,
    payloadKeys: payloadKeys(materials),
    lists: new RevocationLists({ ...parts, keyring, materials }),
    scrub,
    scrubber,
  }
}

/**
 * Returns the alarm for stored items that are not authentic: a line of the log and an activity, of which there are at
 * most 60 a minute, in a transaction of its own because that of the call is rolled back.
 */
const alarmOf =
  ({ audit, log, store }: VaultParts) =>
  (item: CorruptItem): void => {
    log.error(item, 'stored data of the vault is not authentic')
    audit.recordRefusal(store, corruptActivity(item)).catch((err: unknown) => {
      log.error({ err }, 'the alarm about stored data could not be recorded')
    })
  }

/** The workers of a sealed server do a part of their work, so that they leave the leases to servers with a root key. */
const worker = (environment: MountedVault, { clock, log, store }: VaultParts): Worker => ({
  ...agendaWorker({
    store,
    now: clock.now,
    handlers: vaultWork(environment),
    failed: (err, { id }) => log.error({ err, entry: id }, 'due work of the vault failed; it is tried again'),
    ended: hasWorked => (hasWorked ? environment.scrub() : environment.scrubber.catchUp()),
  }),
  keepsLease: () => !environment.keyring.isSealed,
})

const listRenewal = ({ keyring, lists }: MountedVault, { clock, log, store }: VaultParts): Worker => ({
  ...listWorker({
    store,
    now: clock.now,
    lists,
    isSealed: () => keyring.isSealed,
    failed: (err, authority) =>
      log.error(
        { err, authority },
        'the revocation list of a certificate authority cannot be signed; it is tried again',
      ),
  }),
  keepsLease: () => !keyring.isSealed,
})
