/**
 * The boot sector of the image `tiny` (compute.md 6): it prints `boot` on the serial port, enables the power button of
 * ACPI, and powers the machine off when the button is pressed.
 */
const program =
  '31c08ed8fcbe367cac84c07406baf803eeebf5ba0206b80001effbf4ba0006edf6c40174f6ba0006b80001efba0406b80020eff4ebfd626f6f740a00'

/**
 * The boot sector of a guest that tries an accelerator: it enters the protected mode of 32 bits, returns from an interrupt
 * there, as boot loaders do, and prints `boot` on the serial port.
 */
const trial =
  'fa31c08ed88ed0bc007c0f0116657c0f20c00c010f22c0ea1c7c080066b810008ed88ed0bc007c00006a026a0868337c0000cfbe477c0000ac84c0740766baf803eeebf4f4ebfd626f6f740a000000000000000000ffff0000009acf00ffff00000092cf0017004d7c0000'

const sectorBytes = 512

/** Returns the image `tiny`: one sector, which ends with the mark of a boot sector. */
export const bootSector = (): Buffer => sectorOf(program)

/** Returns the sector of a guest that tries an accelerator. */
export const trialSector = (): Buffer => sectorOf(trial)

function sectorOf(code: string): Buffer {
  const sector = Buffer.alloc(sectorBytes)
  sector.write(code, 'hex')
  sector.writeUInt16LE(0xaa55, sectorBytes - 2)
  return sector
}
