import { z } from 'zod';
import { route, type Route } from '../http/route.js';
import { getDocs } from '../openapi/get-docs.js';
import { getDocument } from '../openapi/get-document.js';
import { getHealth } from './get-health.js';
import { getMetrics } from './get-metrics.js';
import { getReadiness } from './get-readiness.js';
import { health } from './schemas.js';

/** The part of the table that is about this process and this API. */
export const systemRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    access: ['viewer', 'operator'],
    accountTokens: 'refused',
    responses: { 200: { description: 'The metrics', type: 'text/plain' } },
    errors: [],
    handler: getMetrics,
  }),
  route({
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process lives',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'It does', schema: health } },
    errors: [],
    handler: getHealth,
  }),
  route({
    method: 'get',
    path: '/readyz',
    summary: 'Whether the process can take requests',
    access: 'public',
    accountTokens: 'narrowed',
    responses: {
      200: { description: 'It can', schema: health },
      503: { description: 'It cannot, and why', schema: health },
    },
    errors: [],
    handler: getReadiness,
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    summary: 'This API in OpenAPI 3.1',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'The document', schema: z.looseObject({ openapi: z.string() }) } },
    errors: [],
    handler: getDocument,
  }),
  route({
    method: 'get',
    path: '/docs',
    summary: 'This API as a page to read',
    access: 'public',
    accountTokens: 'narrowed',
    responses: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
    handler: getDocs,
  }),
];
