// SPDX-License-Identifier: Apache-2.0
// The API's shapes, out of ui/openapi.yaml (`npm run types`).
import type {components} from '../../build/schema';

type Schemas = components['schemas'];

export type Status = Schemas['InstanceStatus'];
export type InstanceRow = Schemas['InstanceRow'];
export type Instance = Schemas['Instance'];
export type InstanceFilter = Schemas['InstanceFilter'];
export type InstanceSummary = Schemas['InstanceSummary'];
export type SeriesPoint = NonNullable<InstanceSummary['series']>['points'][number];
export type BulkRequest = Schemas['BulkRequest'];
export type BulkResult = Schemas['BulkResult'];
export type Outcome = Schemas['Outcome'];
export type Fault = Schemas['Fault'];
export type Finding = Schemas['Finding'];
export type TaskRow = Schemas['TaskRow'];
export type TaskDetails = Schemas['TaskDetails'];
export type HistoryItem = Schemas['HistoryItem'];
export type Awaited = Schemas['Awaited'];
export type Match = Schemas['Match'];
export type DefinitionRow = Schemas['DefinitionRow'];
export type Definition = Schemas['Definition'];
export type Validation = Schemas['Validation'];
export type Diff = Schemas['Diff'];
export type Graph = Schemas['Graph'];
export type GraphNode = Schemas['GraphNode'];
export type GraphEdge = Schemas['GraphEdge'];
export type Schedule = Schemas['Schedule'];
export type ScheduleDetails = Schemas['ScheduleDetails'];
export type DeadLetterRow = Schemas['DeadLetterRow'];
export type DeadLetter = Schemas['DeadLetter'];
export type Cluster = Schemas['Cluster'];
export type Member = Schemas['Member'];
export type Shard = Schemas['Shard'];
export type Pool = Schemas['Pool'];
export type Evaluation = Schemas['Evaluation'];
export type AuditEntry = Schemas['AuditEntry'];
export type Me = Schemas['Me'];
export type Server = Schemas['Server'];

export interface Page<T> {
  items: T[];
  next?: string;
}

export const STATUSES: Status[] = [
  'running',
  'waiting',
  'suspended',
  'faulted',
  'cancelled',
  'completed',
  'pending',
];

export function hasEnded(status: Status): boolean {
  return status === 'completed' || status === 'faulted' || status === 'cancelled';
}
