import type { RunEvent } from '@lamb/contract';
import { createParser } from 'eventsource-parser';
