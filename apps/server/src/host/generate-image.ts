import { AppError, type Principal } from '@lamb/contract';
import type { OpenModel } from '@lamb/engine';
import { ToolFailure, type ToolHost } from '@lamb/plugin-kit';
import { createFile, getFileByPath, withTenant } from '@lamb/store';
import { createHash } from 'node:crypto';
import { resolveModel } from '../completions/resolve-model.ts';
import type { Services } from '../services.ts';
import type { HostContext } from './host-context.ts';
import { createModelDoor } from './create-model-door.ts';

const IMAGE_CONNECTOR = 'banana_img';
const image = /!\[[^\]]*\]\(data:image\/(png|jpeg|webp|gif);base64,([A-Za-z0-9+/=]+)\)/;
const endings = { png: 'png', jpeg: 'jpg', webp: 'webp', gif: 'gif' } as const;

/**
 * Has an image made by the organisation's image provider. It becomes a file of the person who is asking: they can open
 * it, and nobody else can. What was made for the same key before is given back, not made and paid again.
 */
export async function generateImage(
  { prompt, key }: Parameters<ToolHost['images']['generate']>[0],
  { setup, run }: Pick<HostContext, 'setup' | 'run'>,
  services: Services,
  signal: AbortSignal,
): Promise<GeneratedImage> {
  const { principal } = run;
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const made = await findImage(services, principal, name);
  if (made) return made;
  const model = findImageModel(setup, services);
  const ask = createModelDoor({ ...run, model }, services, { images: 1 });
  const answer = await ask([{ role: 'user', content: prompt }], signal);
  const [, type, data] = image.exec(answer) ?? [];
  if (!isImageType(type) || data === undefined) throw new ToolFailure('The image provider gave no image.');
  const content = Buffer.from(data, 'base64');
  if (content.length > services.config.maxUploadBytes) throw new ToolFailure('The image is too large to be stored.');
  const file = { ownerId: principal.userId, path: nameFile(name, type), mediaType: `image/${type}`, content };
  try {
    return toImage(await withTenant(services.db, principal.organizationId, (tx) => createFile(tx, file)));
  } catch (error) {
    // Whoever took this run over meanwhile was faster.
    const other = await findImage(services, principal, name);
    if (other) return other;
    throw error;
  }
}

interface GeneratedImage {
  readonly url: string;
  readonly mediaType: string;
}

type ImageType = keyof typeof endings;

function isImageType(type: string | undefined): type is ImageType {
  return type !== undefined && Object.hasOwn(endings, type);
}

function nameFile(name: string, type: ImageType): string {
  return `generated/${name}.${endings[type]}`;
}

async function findImage({ db }: Services, principal: Principal, name: string): Promise<GeneratedImage | undefined> {
  return await withTenant(db, principal.organizationId, async (tx) => {
    for (const type of Object.keys(endings).filter(isImageType)) {
      const file = await getFileByPath(tx, principal.userId, nameFile(name, type));
      if (file) return toImage(file);
    }
    return undefined;
  });
}

function toImage({ id, mediaType }: { readonly id: string; readonly mediaType: string }): GeneratedImage {
  return { url: `/lamb/v1/files/${id}/content`, mediaType };
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
