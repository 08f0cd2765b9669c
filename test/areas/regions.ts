import type { Ninefold } from '../../output/client.ts'

/** Creates a region for each name, with a simulated deployment target and an approved location of the same name. */
export async function addRegions({ topology }: Pick<Ninefold, 'topology'>, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const capacity = { vcpus: 8, memory_mib: 16_384, disk_gib: 500 }
    await topology.registerDeploymentTarget({
      body: { name, location: name, driver: 'TOPOLOGY_DRIVER_SIMULATED', capacity },
    })
    await topology.approveLocation({ id: name, body: { region: name } })
  }
}
