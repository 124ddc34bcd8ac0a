import { AppError } from '@lamb/contract';

/** The address of one of a provider's endpoints; a query in the base address, such as a version, is kept. */
export function locateEndpoint(baseUrl: string | undefined, path: string): URL {
  if (baseUrl === undefined || baseUrl === '') throw new AppError('provider_not_configured');
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new AppError('provider_unavailable', {
      message: 'The provider’s address is not one that can be called. It must look like https://host/path.',
    });
  }
  url.pathname = url.pathname.replace(/\/+$/u, '') + path;
  url.hash = '';
  return url;
}
