// SPDX-License-Identifier: Apache-2.0
import {useCallback, useSyncExternalStore} from 'react';

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

export const usePhone = () => useMedia('(max-width: 720px)');
