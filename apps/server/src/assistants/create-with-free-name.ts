import { createAssistant, isNameTaken, type Assistant, type NewAssistant, type TenantTx } from '@lamb/store';

/** Creates an assistant; when its owner already has one of that name, a number is added. */
export async function createWithFreeName(tx: TenantTx, input: NewAssistant): Promise<Assistant> {
  let name = input.name;
  for (let number = 2; await isNameTaken(tx, input.ownerId, name); number += 1) {
    name = `${input.name} (${String(number)})`;
  }
  return await createAssistant(tx, { ...input, name });
}
