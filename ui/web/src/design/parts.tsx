// SPDX-License-Identifier: Apache-2.0
// Small parts that every page is made of.
import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import * as Tip from '@radix-ui/react-tooltip';
import {
  forwardRef,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import {createPortal} from 'react-dom';

import {asProblem} from '../api/client';
import {Icon, type IconName} from './icon';
import {Text} from './text';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon?: IconName;
  look?: 'primary' | 'danger' | 'bare';
  tiny?: boolean;
  label?: string; // of a button that is an icon alone
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  {icon, look, tiny, label, children, className, ...rest},
  ref,
) {
  const classes = ['button', look, tiny && 'tiny', !children && 'icon', className];
  const button = (
    <button
      ref={ref}
      type="button"
      aria-label={label}
      {...rest}
      className={classes.filter(Boolean).join(' ')}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
  return label && !children ? <Hint text={label}>{button}</Hint> : button;
});

export function Hint({text, children}: {text: ReactNode; children: ReactNode}) {
  return (
    <Tip.Root delayDuration={350}>
      <Tip.Trigger asChild>{children}</Tip.Trigger>
      <Tip.Portal>
        <Tip.Content className="tooltip" sideOffset={5} collisionPadding={8}>
          {text}
        </Tip.Content>
      </Tip.Portal>
    </Tip.Root>
  );
}

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

export function Menu({items, children}: {items: MenuItem[]; children: ReactNode}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {items.map((item) => (
            <DropdownMenu.Item
              key={item.label}
              disabled={item.disabled}
              onSelect={item.onSelect}
              className={'menu-item' + (item.danger ? ' danger' : '')}
            >
              {item.icon && <Icon name={item.icon} />}
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface Tab {
  id: string;
  label: string;
  icon?: IconName;
  count?: number;
}

// The tabs; the panel is the page's, with id `panel-<tab>`.
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const index = tabs.findIndex((tab) => tab.id === value);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    onChange(next.id);
    document.getElementById('tab-' + next.id)?.focus();
  };
  return (
    <div role="tablist" className="tabs" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={'tab-' + tab.id}
          role="tab"
          type="button"
          aria-selected={tab.id === value}
          tabIndex={tab.id === value ? 0 : -1}
          aria-controls={tab.id === value ? 'panel-' + tab.id : undefined}
          onClick={() => onChange(tab.id)}
        >
          {tab.icon && <Icon name={tab.icon} />}
          {tab.label}
          {tab.count !== undefined && tab.count > 0 && <span className="count">{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}

export function Panel({
  id,
  children,
  className,
}: {
  id: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <div
      role="tabpanel"
      id={'panel-' + id}
      aria-labelledby={'tab-' + id}
      className={'panel ' + (className ?? '')}
    >
      {children}
    </div>
  );
}

export function Dialog({
  title,
  wide,
  onClose,
  onSubmit,
  children,
  footer,
}: {
  title: ReactNode;
  wide?: boolean;
  onClose: () => void;
  onSubmit?: () => void;
  children: ReactNode;
  footer?: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('.body :is(input, select, textarea)')?.focus();
    return () => dialog.close();
  }, []);
  // In the body: a form below the form of another dialog would not be told of its own submit.
  return createPortal(
    <dialog
      ref={ref}
      className={'sheet' + (wide ? ' wide' : '')}
      aria-labelledby={heading}
      onClose={() => ref.current && onClose()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === ref.current && onClose()}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          onSubmit?.();
        }}
      >
        <header>
          <h2 id={heading} className="grow">
            {title}
          </h2>
          {/* Without a hint: it would open with the focus, and take the Escape of the dialog. */}
          <Button icon="close" look="bare" aria-label="Close" onClick={onClose} />
        </header>
        <div className="body" tabIndex={-1}>
          {children}
        </div>
        {footer && <footer>{footer}</footer>}
      </form>
    </dialog>,
    document.body,
  );
}

export function Field({
  label,
  hint,
  wrong,
  children,
}: {
  label: string;
  hint?: ReactNode;
  wrong?: string;
  children: ReactNode;
}) {
  return (
    <label className="field">
      <span>{label}</span>
      {children}
      {wrong ? (
        <small className="wrong" role="alert">
          {wrong}
        </small>
      ) : (
        hint && <small>{hint}</small>
      )}
    </label>
  );
}

const ADVICE: Record<number, string> = {
  400: 'Change what is named here and try again.',
  403: 'Ask somebody with the role for it, or sign in with another token.',
  404: 'It may have been deleted, or the address is wrong.',
  409: 'It has changed meanwhile. Look at it again.',
  412: 'It has changed meanwhile. Look at it again.',
  413: 'Make it smaller: docs/limits.md has the limits.',
  429: 'The server has much to do; the page tries again.',
  501: 'This server cannot do that.',
  503: 'The page tries again by itself.',
};

export function ProblemView({error, onRetry}: {error: unknown; onRetry?: () => void}) {
  const problem = asProblem(error);
  const calm = problem.status === 429 || problem.status === 503 || problem.status === 404;
  return (
    <div role="alert" className={'problem' + (calm ? ' calm' : '')}>
      <Icon name="alert" />
      <div className="stack" style={{gap: 4}}>
        <strong>
          <Text>{problem.title}</Text>
        </strong>
        {problem.detail && (
          <span className="detail">
            <Text>{problem.detail}</Text>
          </span>
        )}
        {problem.findings.length > 0 && (
          <ul className="stack small" style={{gap: 2}}>
            {problem.findings.slice(0, 20).map((finding, index) => (
              <li key={index}>
                {finding.line ? (
                  <span className="mono">
                    {finding.line}:{finding.column}{' '}
                  </span>
                ) : null}
                {finding.pointer && (
                  <span className="mono">
                    <Text>{finding.pointer}</Text>{' '}
                  </span>
                )}
                <Text>{finding.message}</Text>
              </li>
            ))}
          </ul>
        )}
        {ADVICE[problem.status] && <span className="soft small">{ADVICE[problem.status]}</span>}
        {onRetry && (
          <div>
            <Button tiny icon="retry" onClick={onRetry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

export function Empty({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

// Bars that hold the place of rows which are on their way.
export function Skeleton({rows = 6, height = 36}: {rows?: number; height?: number}) {
  return (
    <div aria-busy="true" aria-label="Loading">
      {Array.from({length: rows}, (_, index) => (
        <div key={index} className="row" style={{height, padding: '0 16px'}}>
          <span className="skeleton" style={{width: `${30 + ((index * 37) % 55)}%`}} />
        </div>
      ))}
    </div>
  );
}

export function Copy({text, label = 'Copy'}: {text: string | (() => string); label?: string}) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 1200);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setDone(true);
  };
  return (
    <Button
      tiny
      look="bare"
      icon={done ? 'check' : 'copy'}
      label={done ? 'Copied' : label}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
    />
  );
}
