/** Stands in the prompt for an image that is only an address, where a provider takes embedded images only. */
export const leftOutImage = '[An image was left out here: this model takes embedded images only.]';
