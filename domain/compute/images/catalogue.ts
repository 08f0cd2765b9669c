import { vmImageNotFound, vmImageRequirementUnmet } from '../../../output/compute/errors.ts'
import { absentAt, faultAt } from '../../../runtime/errors.ts'
import { quoted } from '../../../runtime/refusal.ts'
import { builtInImages } from './built-in.ts'
import type { Image } from './image.ts'

/** The images, keyed by name. */
export type ImageCatalogue = ReadonlyMap<string, Image>

/** Returns the built-in images and those of the operator, which replace built-in images of the same name. */
export const catalogueOf = (added: readonly Image[]): ImageCatalogue =>
  new Map([...builtInImages, ...added].map(image => [image.name, image]))

/** Returns the image of this name. Throws VM_IMAGE_NOT_FOUND at `boot_disk.image`, which names all images. */
export function requireImage(catalogue: ImageCatalogue, name: string): Image {
  const image = catalogue.get(name)
  if (image) return image
  const message = `no image is called ${quoted(name)}; there are ${[...catalogue.keys()].join(', ')}`
  throw absentAt(vmImageNotFound, 'boot_disk.image', message, { type: 'compute.images', name: name.slice(0, 80) })
}

/** Throws VM_IMAGE_REQUIREMENT_UNMET if the boot disk or the memory is smaller than the image needs. */
export function requireFits(image: Image, { bootGib, memoryMib }: { bootGib: number; memoryMib: number }): void {
  const { min_disk_gib, min_memory_mib, name } = image
  if (bootGib < min_disk_gib) {
    const message = `image ${name} needs a boot disk of ${min_disk_gib} GiB; ${bootGib} are given`
    throw faultAt(vmImageRequirementUnmet, 'boot_disk.size_gib', message)
  }
  if (memoryMib < min_memory_mib) {
    const message = `image ${name} needs ${min_memory_mib} MiB of memory; ${memoryMib} are given`
    throw faultAt(vmImageRequirementUnmet, 'memory_mib', message)
  }
}
