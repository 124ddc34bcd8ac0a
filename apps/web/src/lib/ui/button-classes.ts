const base =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md text-center font-medium transition-colors select-none disabled:pointer-events-none disabled:opacity-55 aria-disabled:pointer-events-none aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0';

const variants = {
  primary: 'bg-brand text-brand-fg shadow-card hover:bg-brand-hover',
  secondary: 'border border-line-strong bg-surface text-fg hover:bg-surface-2',
  ghost: 'text-fg hover:bg-surface-3',
  danger: 'border border-danger bg-surface text-danger hover:bg-danger-soft',
};

const sizes = {
  sm: 'min-h-8 px-2.5 py-1 text-sm pointer-coarse:min-h-11',
  md: 'min-h-9 px-3.5 py-1.5 text-base pointer-coarse:min-h-11',
  icon: 'size-9 pointer-coarse:size-11',
  'icon-sm': 'size-8 pointer-coarse:size-11',
};

export type ButtonVariant = keyof typeof variants;
export type ButtonSize = keyof typeof sizes;

/** The look of a button, for links and triggers that are not a `Button`. */
export function buttonClasses(variant: ButtonVariant = 'primary', size: ButtonSize = 'md', extra = ''): string {
  return `${base} ${variants[variant]} ${sizes[size]} ${extra}`;
}
