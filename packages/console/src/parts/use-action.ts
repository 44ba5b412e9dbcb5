import { useEffect, useRef, useState } from 'react';
import { useIsLive } from '../live/use-connection.js';
import { useRefresh } from '../live/use-api.js';
import { rescueFocus } from './focus.js';
import { announce } from './status.js';

export interface Action {
  /** Runs it and says how it went; while it runs, a second call does nothing. Whether it succeeded. */
  run: (perform: () => Promise<unknown>, done: string) => Promise<boolean>;
  isRunning: boolean;
  /** Off while an action runs, and while the screen may be old. */
  isOff: boolean;
  error: string | undefined;
}

export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string>();
  // A double click comes before the state is drawn.
  const started = useRef(false);
  const isLive = useIsLive();
  const refresh = useRefresh();
  const pressed = useRef<Element>(null);
  useEffect(() => {
    if (isRunning || pressed.current === null) return;
    rescueFocus(pressed.current);
    pressed.current = null;
  }, [isRunning]);

  const run = async (perform: () => Promise<unknown>, done: string): Promise<boolean> => {
    if (started.current) return false;
    started.current = true;
    pressed.current = document.activeElement;
    setRunning(true);
    setError(undefined);
    try {
      await perform();
      announce(done);
      return true;
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      setError(text);
      announce(`Not done. ${text}`);
      return false;
    } finally {
      started.current = false;
      setRunning(false);
      void refresh();
    }
  };
  return { run, isRunning, isOff: isRunning || !isLive, error };
}
