interface ChipProps {
  readonly text: string;
  /** The name of the button that removes it. */
  readonly remove: string;
  readonly onRemove: () => void;
}

/** What a list is filtered by. */
export function Chip({ text, remove, onRemove }: ChipProps) {
  return (
    <span className="inline-flex h-8 items-center gap-1.5 rounded-full border border-line bg-surface pr-1 pl-3 text-sm">
      {text}
      <button type="button" className="link size-6 rounded-full" aria-label={remove} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
