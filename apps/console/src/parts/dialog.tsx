import { useIsMutating } from '@tanstack/react-query';
import { cloneElement, type ComponentProps, type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Whether a button of it alone closes it, because what it shows would be lost. Default: Escape does, too. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/**
 * A modal dialog of the browser: it keeps the focus, and Escape closes it. While a write is under way nothing in it can be used,
 * and nothing closes it: its response may have what is shown once, or say that it failed.
 */
export function Dialog({ title, close, isHeld: isKept = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isWriting = useIsMutating() > 0;
  const isHeld = isKept || isWriting;
  // What cannot be used loses the focus, and gets it back.
  const focused = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isWriting) focused.current?.focus();
  }, [isWriting]);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // Outside of the page, whose fields cannot be used while the server is down.
  return createPortal(
    <dialog
      ref={dialog}
      aria-label={title}
      // A browser closes it at the second Escape, whatever the page says.
      onClose={() => (isHeld ? dialog.current?.showModal() : close())}
      onFocus={({ target }) => (focused.current = target)}
      onClick={(event) => event.target === dialog.current && !isHeld && close()}
    >
      <h2 className="mt-0! mb-3! text-[17px]! leading-6!">{title}</h2>
      <fieldset disabled={isWriting} className="contents">
        {children}
      </fieldset>
    </dialog>,
    document.body,
  );
}

interface FieldProps {
  readonly name: string;
  readonly hint?: string;
  readonly children: ReactElement<{ readonly 'aria-describedby'?: string }>;
}

/** A field with its name above it, and what helps to fill it below. */
export function Field({ name, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className="mt-3">
      <label>
        <span className="mb-1 block text-sm font-medium">{name}</span>
        {hint === undefined ? children : cloneElement(children, { 'aria-describedby': id })}
      </label>
      {hint !== undefined && (
        <p id={id} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'name' | 'value' | 'onChange'> {
  readonly name: string;
  readonly hint?: string;
  readonly value: string | undefined;
  readonly set: (text: string) => void;
}

/** A field for a line of text. */
export function TextField({ name, hint, value, set, ...input }: TextFieldProps) {
  return (
    <Field name={name} {...(hint !== undefined && { hint })}>
      <input autoComplete="off" value={value} onChange={({ target }) => set(target.value)} {...input} />
    </Field>
  );
}
