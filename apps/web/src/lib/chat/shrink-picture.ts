/** What the models see; they would scale down what is larger. */
const LONGEST_EDGE = 1568;
const LARGEST_KEPT_BYTES = 1_000_000;

/** The kinds of pictures that every provider reads. */
export const pictureTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** A picture as a data URL, no larger than models look at it. Throws when it is none that the browser can read. */
export async function shrinkPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  try {
    const scale = Math.min(1, LONGEST_EDGE / Math.max(bitmap.width, bitmap.height));
    // A photo tells where it was taken, and of what moves only the first moment is looked at: these are drawn anew, too.
    const isPlain = file.type === 'image/png' || file.type === 'image/webp';
    if (scale === 1 && isPlain && file.size <= LARGEST_KEPT_BYTES) return await toDataUrl(file);
    const [width, height] = [bitmap.width, bitmap.height].map((edge) => Math.max(1, Math.round(edge * scale)));
    const canvas = new OffscreenCanvas(width ?? 1, height ?? 1);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser cannot draw.');
    // What is transparent would become black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return await toDataUrl(await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.86 }));
  } finally {
    bitmap.close();
  }
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      resolve(reader.result as string);
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error('It could not be read.'));
    };
    reader.readAsDataURL(blob);
  });
}
