import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './frame/app.js';
import { events } from './live/events.js';
import './styles/base.css';
import './styles/tables.css';
import './styles/parts.css';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What is stale shows at once, and the next reading is seconds away.
      retry: false,
      // Failing for want of a network is a failure like any other.
      networkMode: 'always',
      refetchOnWindowFocus: false,
      gcTime: 60_000,
    },
  },
});

events.start(client);
const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
