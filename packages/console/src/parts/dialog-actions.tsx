import type { ReactNode } from 'react';
import type { Action } from './use-action.js';

interface DialogActionsProps {
  action: Action;
  /** The button that changes nothing: first, and where the focus is unless a field comes before it. */
  keep: string;
  onClose: () => void;
  /** The button that acts; what it says carries count and scope. */
  act: string;
  /** Left out where it submits the form around it. */
  onAct?: () => void;
  isDangerous?: boolean;
  /** Whether what is filled in can be acted on. */
  isReady?: boolean;
  /** Other ways out. */
  children?: ReactNode;
}

/** How every dialog that changes something ends: what went wrong, the safe way out, the act. */
export function DialogActions(props: DialogActionsProps) {
  const { action, keep, onClose, act, onAct, isDangerous = false, isReady = true, children } = props;
  return (
    <>
      {action.error !== undefined && <p className="error">{action.error}</p>}
      <p className="actions">
        <button type="button" data-first-focus onClick={onClose}>
          {keep}
        </button>
        <button
          type={onAct === undefined ? 'submit' : 'button'}
          className={isDangerous ? 'danger' : 'primary'}
          disabled={action.isOff || !isReady}
          {...(onAct === undefined ? {} : { onClick: onAct })}
        >
          {act}
        </button>
        {children}
      </p>
    </>
  );
}
