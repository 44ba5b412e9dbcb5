import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';

/** The API in OpenAPI 3.1. */
export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;
