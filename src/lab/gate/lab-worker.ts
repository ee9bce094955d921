import { parentPort } from 'node:worker_threads';
import { type LabJob, runLabJob } from './lab-job.ts';

parentPort?.on('message', (job: LabJob) => parentPort?.postMessage(runLabJob(job)));
