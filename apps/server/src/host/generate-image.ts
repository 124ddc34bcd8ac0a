import { AppError } from '@lamb/contract';
import type { OpenModel } from '@lamb/engine';
import { ToolFailure } from '@lamb/plugin-kit';
import { createFile, withTenant } from '@lamb/store';
import { randomUUID } from 'node:crypto';
import { resolveModel } from '../completions/resolve-model.ts';
import type { Services } from '../services.ts';
import type { HostContext } from './host-context.ts';
import { createModelDoor } from './create-model-door.ts';

const IMAGE_CONNECTOR = 'banana_img';
const image = /!\[[^\]]*\]\(data:image\/(png|jpeg|webp|gif);base64,([A-Za-z0-9+/=]+)\)/;

/**
 * Has an image made by the organisation's image provider. It becomes a file of the person who is asking: they can open
 * it, and nobody else can.
 */
export async function generateImage(
  prompt: string,
  { setup, run }: HostContext,
  services: Services,
  signal: AbortSignal,
): Promise<{ url: string; mediaType: string }> {
  const { organizationId, userId: ownerId } = run.principal;
  const model = findImageModel(setup, services);
  const ask = createModelDoor({ ...run, model }, services, { images: 1 });
  const answer = await ask([{ role: 'user', content: prompt }], signal);
  const [, type, data] = image.exec(answer) ?? [];
  if (type === undefined || data === undefined) throw new ToolFailure('The image provider gave no image.');
  const content = Buffer.from(data, 'base64');
  if (content.length > services.config.maxUploadBytes) throw new ToolFailure('The image is too large to be stored.');
  const mediaType = `image/${type}`;
  const path = `generated/${randomUUID()}.${type === 'jpeg' ? 'jpg' : type}`;
  const file = await withTenant(services.db, organizationId, (tx) =>
    createFile(tx, { ownerId, path, mediaType, content }),
  );
  return { url: `/lamb/v1/files/${file.id}/content`, mediaType };
}

function findImageModel(setup: HostContext['setup'], { catalogue }: Services): OpenModel {
  try {
    // The organisation's default model answers in words: it is no stand-in here.
    return resolveModel({ connector: IMAGE_CONNECTOR, model: '' }, { ...setup, defaultModel: undefined }, catalogue);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new ToolFailure(
      `The organisation has not set up the provider “${IMAGE_CONNECTOR}” with a model that makes images; an administrator can do that.`,
      { cause },
    );
  }
}
