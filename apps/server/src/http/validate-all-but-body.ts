import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { z } from 'zod';

/** For uploads: the schema of the body only describes it, since it is read as a stream. */
export const validateAllButBody: FastifySchemaCompiler<FastifySchema> = (route) => {
  if (route.httpPart === 'body') return (value: unknown) => ({ value });
  return validatorCompiler({ ...route, schema: route.schema as unknown as z.ZodType });
};
