/**
 * The boot sector of the image `tiny` (compute.md 6): it prints `boot` on the serial port, enables the power button of
 * ACPI, and powers the machine off when the button is pressed.
 */
const program =
  '31c08ed8fcbe367cac84c07406baf803eeebf5ba0206b80001effbf4ba0006edf6c40174f6ba0006b80001efba0406b80020eff4ebfd626f6f740a00'

const sectorBytes = 512

/** Returns the image `tiny`: one sector, which ends with the mark of a boot sector. */
export function bootSector(): Buffer {
  const sector = Buffer.alloc(sectorBytes)
  sector.write(program, 'hex')
  sector.writeUInt16LE(0xaa55, sectorBytes - 2)
  return sector
}
